export { presentTouchpoint } from './present.ts';
export { giveStartingTouchpoints } from './service.ts';
export { listTouchpoints, updateTouchpoint } from './store.ts';
export { checkTemplate, renderTemplate, TemplateProblem, type TemplateValues } from './template.ts';
