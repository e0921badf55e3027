import { createContext, type RefObject, useContext } from 'react';

/** Where menus and lists open: within the page's content, so that they belong to it for those who move by landmarks. */
export const OVERLAY_ROOM: RefObject<HTMLElement | null> = {
  get current() {
    return document.getElementById('main');
  },
};

const InDialogContext = createContext(false);
export const InDialog = InDialogContext.Provider;

/** Of a list that may stand in a dialog: there it opens beside the dialog, as the page behind it is closed to everybody. */
export const useOverlayRoom = (): { container?: RefObject<HTMLElement | null> } =>
  useContext(InDialogContext) ? {} : { container: OVERLAY_ROOM };
