import { admissionScenarios } from './admission.ts';
import { attachScenarios } from './attach.ts';
import { bindingScenarios } from './binding.ts';
import { deleteScenarios } from './delete.ts';
import { detachScenarios } from './detach.ts';
import { firstConsumerScenarios } from './first-consumer.ts';
import { liveScenarios } from './live.ts';
import { modifyScenarios } from './modify.ts';
import { mountScenarios } from './mount.ts';
import { otherScenarios } from './other.ts';
import { provisionScenarios } from './provision.ts';
import { resizeScenarios } from './resize.ts';
import type { Scenario } from './scenario.ts';
import { scheduleScenarios } from './schedule.ts';
import { snapshotScenarios } from './snapshot.ts';

/** In the order of a volume's life. */
export const scenarios: readonly Scenario[] = [
  ...otherScenarios,
  ...admissionScenarios,
  ...bindingScenarios,
  ...firstConsumerScenarios,
  ...provisionScenarios,
  ...scheduleScenarios,
  ...attachScenarios,
  ...detachScenarios,
  ...mountScenarios,
  ...resizeScenarios,
  ...modifyScenarios,
  ...snapshotScenarios,
  ...deleteScenarios,
  ...liveScenarios,
];
