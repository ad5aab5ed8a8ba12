import { setFlagsFromString } from 'node:v8';

// Unless this is set, graphql-js looks at every value for a second copy of itself: a sixth of what a large answer costs.
process.env.NODE_ENV ??= 'production';
// V8 makes objects of a kind that has outlived some collections in old memory at once. Those of an operation live for milliseconds, and
// there each of them holds all of its operation until the next major collection (docs/decisions/0011).
setFlagsFromString('--no-allocation-site-pretenuring');
