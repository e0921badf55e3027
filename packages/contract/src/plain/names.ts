/** Spaces, punctuation and the marks of accents. The function `search_name` of the database removes the same. */
const IGNORED = /(?:[\u0300-\u036f]|[ -/:-@[-`{-~\u00b7\u02bb\u02bc\u2010-\u2019])+/gu;

/** As people type names on a phone: "lucia" for Lucía, "OSHAUGHNESSY" for O'Shaughnessy. */
export const foldName = (name: string): string => name.normalize('NFKD').replace(IGNORED, '').toLowerCase();
