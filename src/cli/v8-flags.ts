import { setFlagsFromString } from 'node:v8';

// Without it, graphql-js checks every value for a second copy of graphql-js, which takes a sixth of the CPU time of a large response.
process.env.NODE_ENV ??= 'production';
// Pretenuring allocates objects in the old generation when earlier objects of their kind survived. The objects of an
// operation live for milliseconds; in the old generation each retains its whole operation until the next major
// collection (docs/decisions/0011).
setFlagsFromString('--no-allocation-site-pretenuring');
