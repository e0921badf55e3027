/** Touchpoints of an organization, and their templates. */

export { templatesIn, textMessageIn } from './languages.ts';
export { touchpointOperations } from './operations.ts';
export {
  pickContent,
  scriptHint,
  speakingSeconds,
} from './rules.ts';
export {
  changeTouchpoint,
  copyTouchpoint,
  createTouchpoint,
  insertStartingTouchpoints,
  moveTouchpoint,
  presentTouchpoint,
  resetTouchpoint,
  type TouchpointEdit,
  undoChange,
} from './service.ts';
export { findOriginal } from './starting-set.ts';
export {
  type ChangeRow,
  findLastChange,
  listChanges,
  listScriptChanges,
  type ScriptChangeRow,
} from './store/history.ts';
export { findTouchpoint, listTouchpoints } from './store.ts';
export {
  renderTemplate,
  TemplateProblem,
} from './template.ts';
export { type TemplateValues, templateVariables } from './template-values.ts';
export {
  bareSampleValues,
  findProblem,
  findWarning,
  requireValidContent,
  sampleValues,
  type TemplateField,
} from './validation.ts';
