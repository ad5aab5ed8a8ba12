import { z } from 'zod';
import { commaSeparated, setting } from '../../settings.ts';

const pathList = commaSeparated.pipe(z.array(z.string().min(1, 'has an empty path before or after a comma')));

export const tokensSettings = {
  TOKEN_LISTS: setting(pathList.default([]), {
    about:
      'Files in the Token Lists format (tokenlists.org), separated by commas, the preferred one first; their metadata overrides that of the node and the contract',
  }),
};
