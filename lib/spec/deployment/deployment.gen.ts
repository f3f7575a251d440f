/** Generated from schemas/deployment.schema.json by schemas/generate.ts; edit that schema instead. */

/**
 * deployments/NAME.yaml: which sites an application runs on, and how its versions spread over them.
 */
export interface ApplicationDeploymentSpecification {
  /**
   * Where editors find the schema of this file. Tallyman ignores it.
   */
  $schema?: string
  /**
   * The name of the deployment, which is the name of the file too.
   */
  name: string
  /**
   * The application that is deployed. It has one deployment.
   */
  application: string
  /**
   * "*" for the version that the repository has, or the version that is meant: the newest or an earlier one, or one that does not exist yet.
   */
  'application-version'?: string | number
  /**
   * The sites that run the application: all of them, or those whose labels match.
   */
  placement: {
    /**
     * All sites of the environment.
     */
    'all-sites'?: true
    /**
     * A label expression, such as: system/type = edge and not lab.
     */
    'match-site-labels'?: string
  }
  /**
   * How a new version reaches the sites. Without it, all of them get it at once.
   */
  'deploy-to-sites'?: {
    /**
     * How many sites get the version at the same time. Without it, all that are left.
     */
    'sites-in-parallel'?: number
    /**
     * How long these sites have to be healthy before the next ones get the version; 0 by default.
     */
    'healthy-time'?: string
    /**
     * The sites that get the version first.
     */
    'canary-sites'?: {
      /**
       * A label expression. Of the sites of the placement, those that it matches are the canaries.
       */
      'match-site-labels': string
    }
    /**
     * How long the canaries have to be healthy before others get the version; by default the healthy-time.
     */
    'canary-healthy-time'?: string
    /**
     * Other sites get the version when a person says so, and not after a time.
     */
    'canary-continue-by-action'?: true
  }
}
