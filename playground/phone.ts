/** The width up to which one pane is shown at a time; `styles/phone.css` has the same. */
const PHONE = matchMedia('(max-width: 900px)');

/** Whether the page shows one pane at a time. */
export const isPhone = (): boolean => PHONE.matches;
