import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphQLWorker from 'monaco-graphql/esm/graphql.worker.js?worker';

// graphiql/setup-workers/vite does the same, and logs a line for every worker.
Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker(_id: string, label: string) {
      if (label === 'json') return new JsonWorker();
      return label === 'graphql' ? new GraphQLWorker() : new EditorWorker();
    },
  },
});
