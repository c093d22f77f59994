import { describeUnruly } from './unruly-upstreams.ts';

// The other ways are in test/upstreams.
describeUnruly('ends without line breaks');
describeUnruly('heartbeats without data');
