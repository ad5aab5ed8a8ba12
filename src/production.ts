// Unless this is set, graphql-js looks at every value for a second copy of itself: a sixth of what a large answer costs.
process.env.NODE_ENV ??= 'production';
