/** In the fragment of a touchpoint's address: the focus starts in the script. */
export const SCRIPT_HASH = 'script';
