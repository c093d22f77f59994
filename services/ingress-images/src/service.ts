import { edits, generations, variations } from '@model-gateway/formats/images';
import { type Endpoint, ingressService } from '@model-gateway/ingress';

/** The endpoints of this ingress. */
export const endpoints: readonly Endpoint[] = [generations, edits, variations];

export const ingressImages = ingressService('ingress-images', endpoints);
