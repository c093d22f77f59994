import { run } from '@model-gateway/service';
import { ingressModels } from './service.ts';

await run(ingressModels);
