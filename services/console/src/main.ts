import { run } from '@model-gateway/service';
import { consoleService } from './service.ts';

await run(consoleService);
