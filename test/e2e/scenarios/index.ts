import { admissionScenarios } from './admission.ts';
import { bindingScenarios } from './binding.ts';
import { firstConsumerScenarios } from './first-consumer.ts';
import { otherScenarios } from './other.ts';
import { provisionScenarios } from './provision.ts';
import type { Scenario } from './scenario.ts';
import { scheduleScenarios } from './schedule.ts';

export const scenarios: readonly Scenario[] = [...otherScenarios, ...admissionScenarios, ...bindingScenarios, ...firstConsumerScenarios, ...provisionScenarios, ...scheduleScenarios];
