import { smallMessages } from './small-messages.ts';
import { testAttacks } from './test-attacks.ts';

testAttacks(smallMessages, 100);
