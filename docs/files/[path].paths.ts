import { printFile, repositoryFiles } from '../.vitepress/repository-files.ts';

export default {
  paths: () =>
    repositoryFiles().map(({ path, page }) => ({
      params: { path: page.replace(/^files\//, '') },
      content: printFile(path),
    })),
};
