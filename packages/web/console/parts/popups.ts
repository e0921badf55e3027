/** The parts that use Base UI, in one file. Pages use them through `overlays.tsx`. */
export { ComboboxPopup } from './combobox.tsx';
export { DialogPopup } from './dialog-popup.tsx';
export { MenuPopup } from './menu.tsx';
export { addToast, ToastList } from './toast-list.tsx';
