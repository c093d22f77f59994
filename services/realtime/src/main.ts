import { run } from '@model-gateway/service';
import { realtime } from './service.ts';

await run(realtime);
