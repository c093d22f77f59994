import { run } from '@model-gateway/service';
import { front } from './service.ts';

await run(front);
