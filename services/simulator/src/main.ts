import { run } from '@model-gateway/service';
import { simulator } from './service.ts';

await run(simulator);
