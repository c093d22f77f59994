import { run } from '@model-gateway/service';
import { worker } from './service.ts';

await run(worker);
