/** The path of the graph, with and without the slash at its end that some clients of geth send. */
const GRAPH_PATH = /^\/graphql\/?(?:\?|$)/;

/** Whether a URL without its origin is that of the graph. */
export const isGraphPath = (url: string | undefined): boolean => url !== undefined && GRAPH_PATH.test(url);
