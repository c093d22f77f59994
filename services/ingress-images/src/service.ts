import { type Endpoint, ingressService } from '@model-gateway/ingress';
import { edits, generations, variations } from './images/endpoint.ts';

/** The endpoints of this ingress. */
export const endpoints: readonly Endpoint[] = [generations, edits, variations];

export const ingressImages = ingressService('ingress-images', endpoints);
