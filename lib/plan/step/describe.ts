import type { Step } from './step.ts'

/** Returns a step in words, the same in plan, prompt, log and test. */
export function describeStep(step: Step): string {
  switch (step.do) {
    case 'pull-image':
    case 'find-image':
    case 'remove-image':
      return `${step.do} ${step.reference}@${step.digest}`
    case 'check-host-path':
      return `check-host-path ${step.path}`
    case 'check-image':
      return `check-image ${step.image.reference}`
    case 'create-network':
      return `create-network ${step.network.name}`
    case 'create-volume':
      return `create-volume ${step.volume.name}`
    case 'create-container':
    case 'register-pod':
    case 'start-container':
    case 'unpause-container':
    case 'await-healthy':
    case 'stop-container':
    case 'remove-container':
    case 'restart-container':
    case 'run-to-end':
    case 'await-end':
    case 'abort-hook':
    case 'put-away':
    case 'update-container':
    case 'rename-container':
    case 'keep-failed':
      return `${step.do} ${step.container}`
    case 'connect-network':
    case 'disconnect-network':
    case 'admit':
    case 'drain':
      return `${step.do} ${step.container} ${step.network}`
    case 'load-routes':
      return `load-routes ${step.container} ${step.routing.mark}`
    case 'create-job':
    case 'create-service':
    case 'update-service':
    case 'stop-service':
    case 'restore-service':
    case 'await-service':
    case 'remove-service':
    case 'forget-files':
      return `${step.do} ${step.service}`
    case 'remove-volume':
      return `remove-volume ${step.volume}`
    case 'remove-network':
      return `remove-network ${step.network}`
  }
}
