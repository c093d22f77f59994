import { lyingSessions } from './lying-sessions.ts';
import { testAttacks } from './test-attacks.ts';

testAttacks(lyingSessions, 100);
