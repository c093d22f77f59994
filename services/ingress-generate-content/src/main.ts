import { run } from '@model-gateway/service';
import { ingressGenerateContent } from './service.ts';

await run(ingressGenerateContent);
