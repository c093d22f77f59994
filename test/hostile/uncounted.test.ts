import { testAttacks } from './test-attacks.ts';
import { uncounted } from './uncounted.ts';

testAttacks(uncounted, 100);
