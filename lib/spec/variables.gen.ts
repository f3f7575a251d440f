/** Generated from schemas/variables.schema.json by schemas/generate.ts; edit that schema instead. */

/**
 * environments/NAME/sites/SITE/variables.yaml: the values that variables of applications have on one site, by application and by variable.
 */
export interface VariablesOfASite {
  /**
   * Where editors find the schema of this file. Tallyman ignores it.
   */
  $schema?: string
  /**
   * An application, and the values of its variables.
   */
  [k: string]:
    | {
        /**
         * A text, number or boolean, in place of what the specification says.
         */
        [k: string]: string | number | boolean
      }
    | string
    | undefined
}
