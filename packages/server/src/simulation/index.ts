export { createSimulation, type Simulation } from './intros.ts';
