/** Generated from schemas/manifest.schema.json by schemas/generate.ts; edit that schema instead. */

/**
 * environments/NAME/manifest.json and the files that it includes: which services run, and in which versions.
 */
export interface Manifest {
  /**
   * Where editors find the schema of this file. Tallyman ignores it.
   */
  $schema?: string
  /**
   * Files whose services come before the services of this file. Paths are relative to this file.
   */
  includes?: string[]
  /**
   * The services that run.
   */
  services?: Service[]
  /**
   * Whether changes are applied without asking. Only the value in the environment's own manifest.json counts. Removals are always asked for.
   */
  skipConfirmation?: boolean
}
/**
 * A service in one version.
 */
export interface Service {
  /**
   * Letters, digits, "_", "." and "-", beginning with a letter or digit; at most 63.
   */
  name: string
  /**
   * A semantic version such as 0.1.0. Ranges under "requires" of other applications are checked against it.
   */
  version?: string
  /**
   * The instances of the service, or the images of its application specification.
   *
   * @maxItems 1000
   */
  containers?: Container[]
}
/**
 * An instance and its image.
 */
export interface Container {
  /**
   * An image name without a tag, in lower case. If it is empty or absent, it is the name of the service.
   */
  dockerName?: string
  /**
   * A Docker tag: letters, digits, "_", "." and "-", at most 128, not beginning with "." or "-".
   */
  dockerTag: string
  /**
   * "sha256:" and 64 hexadecimal digits in lower case: the digest that the tag must point to.
   */
  dockerDigest?: string
}
