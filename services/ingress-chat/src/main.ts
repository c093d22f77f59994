import { run } from '@model-gateway/service';
import { ingressChat } from './service.ts';

await run(ingressChat);
