import { defineCodegen } from '@grimoire/client/codegen';

export default defineCodegen({ schema: 'schema.graphql', documents: 'src/**/*.ts' });
