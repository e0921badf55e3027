/** Touchpoints of an organization, and their templates. */

export {
  pickContent,
  scriptHint,
  speakingSeconds,
} from './rules.ts';
export * from './service.ts';
export { findOriginal } from './starting-set.ts';
export {
  type ChangeRow,
  findLastChange,
  findTouchpoint,
  listChanges,
  listScriptChanges,
  listTouchpoints,
  type ScriptChangeRow,
} from './store.ts';
export {
  bareSampleValues,
  renderTemplate,
  sampleValues,
  TemplateProblem,
  type TemplateValues,
  templateVariables,
} from './template.ts';
export * from './validation.ts';
