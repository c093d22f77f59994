import { run } from '@model-gateway/service';
import { control } from './service.ts';

await run(control);
