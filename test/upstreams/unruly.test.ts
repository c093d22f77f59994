import { type UnrulyName, unruly } from '../conformance/grid/unruly.ts';
import { describeUnruly } from '../conformance/grid/unruly-upstreams.ts';

for (const name of Object.keys(unruly) as UnrulyName[]) describeUnruly(name);
