import { attacks } from './attacks.ts';
import { testAttacks } from './test-attacks.ts';

testAttacks(attacks, 500);
