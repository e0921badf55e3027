import { createContext, type RefObject, useContext } from 'react';

/** Menus and lists open inside `main`, so that screen readers find them in that landmark. */
export const OVERLAY_CONTAINER: RefObject<HTMLElement | null> = {
  get current() {
    return document.getElementById('main');
  },
};

const InDialogContext = createContext(false);
export const InDialog = InDialogContext.Provider;

/** Inside a dialog, a list must open outside of `main`: the page behind a modal dialog is inert. */
export const useOverlayContainer = (): { container?: RefObject<HTMLElement | null> } =>
  useContext(InDialogContext) ? {} : { container: OVERLAY_CONTAINER };
