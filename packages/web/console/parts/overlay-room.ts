import type { RefObject } from 'react';

/** Where menus and lists open: within the page's content, so that they belong to it for those who move by landmarks. */
export const OVERLAY_ROOM: RefObject<HTMLElement | null> = {
  get current() {
    return document.getElementById('main');
  },
};
