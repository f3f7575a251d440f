/** Generated from schemas/control.schema.json by schemas/generate.ts; edit that schema instead. */

/**
 * a whole number
 */
export type Count = string

/**
 * What a request to the control socket may bring, by what is asked: the body, or of a GET the query. Other keys mean nothing.
 */
export interface ControlRequests {
  approve?: AnswerRequest
  discard?: AnswerRequest
  reconcile?: EnvironmentRequest
  suspend?: SuspensionRequest
  resume?: ApplicationRequest
  retry?: ApplicationRequest
  rollback?: RollbackRequest
  drain?: SiteRequest
  undrain?: SiteRequest
  pause?: DeploymentRequest
  abort?: DeploymentRequest
  redeploy?: DeploymentRequest
  forceUpgrade?: UpgradeRequest
  deleteUpgrade?: UpgradeRequest
  metrics?: EnvironmentQuery
  progress?: ProgressQuery
}
/**
 * An answer to a plan.
 */
export interface AnswerRequest {
  environment?: string
  who?: string
  /**
   * The reason, for the log.
   */
  message?: string
}
export interface EnvironmentRequest {
  environment?: string
  who?: string
}
export interface SuspensionRequest {
  environment?: string
  /**
   * Absent: the whole environment.
   */
  application?: string
  who?: string
  reason?: string
  /**
   * In ms since 1970, and not over. Absent: until somebody resumes it.
   */
  untilMs?: number
  /**
   * Whether it may replace an earlier one.
   */
  replace?: boolean
}
export interface ApplicationRequest {
  environment?: string
  /**
   * Absent: the whole environment.
   */
  application?: string
  who?: string
  /**
   * The reason, for the log.
   */
  message?: string
}
/**
 * To hold an application at a version that is kept.
 */
export interface RollbackRequest {
  environment?: string
  application: string
  /**
   * A kept version, or at least seven digits of a commit that had it; or either with its prefix, version: or commit:; or pass: and the number of a pass. Absent: the version before the present one.
   */
  to?: string
  reason?: string
  /**
   * Whether sites whose upgrade window is closed go back at once, too.
   */
  outsideWindow?: boolean
  who?: string
}
export interface SiteRequest {
  environment?: string
  site: string
  who?: string
}
export interface DeploymentRequest {
  environment?: string
  /**
   * Its name, or the name of its application.
   */
  deployment: string
  who?: string
  /**
   * The reason, for the log.
   */
  message?: string
}
/**
 * About versions that wait on sites.
 */
export interface UpgradeRequest {
  environment?: string
  /**
   * Absent: all of which a version waits.
   */
  application?: string
  /**
   * A version that waits. Absent: the wanted one.
   */
  version?: string
  /**
   * The names of sites. Absent: all on which it waits.
   */
  site?: string[]
  who?: string
  /**
   * The reason, for the log.
   */
  message?: string
}
export interface EnvironmentQuery {
  environment?: string
}
/**
 * What `approve` answered, to follow the passes that carry the plan out.
 */
export interface ProgressQuery {
  plan?: string
  from: Count
  look: Count
  after: Count
}
