import { searches } from './searches.ts';
import { testAttacks } from './test-attacks.ts';

testAttacks(searches, 100);
