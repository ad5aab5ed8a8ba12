// Without the web font, which is 400 KB of the site.
import theme from 'vitepress/theme-without-fonts';

export default theme;
