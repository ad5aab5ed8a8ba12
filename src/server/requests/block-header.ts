/**
 * Header of a request that names the block to read, and in drop-in mode header of a response with the hash of the block that was read: a
 * client that sends it back reads the same block again.
 */
export const BLOCK_HEADER = 'x-graph-block';
