import { run } from '@model-gateway/service';
import { ingressImages } from './service.ts';

await run(ingressImages);
