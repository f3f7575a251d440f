/** Generated from schemas/manifest.schema.json by schemas/generate.ts; edit that schema instead. */

/**
 * environments/NAME/manifest.json and the files it includes: which services run, in which versions.
 */
export interface Manifest {
  /**
   * Files whose services come before those of this file; paths relative to this file.
   */
  includes?: string[]
  /**
   * What runs.
   */
  services?: Service[]
  /**
   * Apply without asking; only that of the environment's own manifest.json counts. Removals ask all the same.
   */
  skipConfirmation?: boolean
}
/**
 * One service at one version.
 */
export interface Service {
  /**
   * Letters, digits, "_", "." and "-", beginning with a letter or digit; at most 63.
   */
  name: string
  /**
   * A semantic version such as 0.1.0; ranges under "requires" are checked against it.
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
 * One instance and its image.
 */
export interface Container {
  /**
   * An image name without tag, in lower case; empty or absent: the name of the service.
   */
  dockerName?: string
  /**
   * A Docker tag: letters, digits, "_", "." and "-", at most 128, not beginning with "." or "-".
   */
  dockerTag: string
  /**
   * "sha256:" and 64 hexadecimal digits in lower case: the digest the tag must lead to.
   */
  dockerDigest?: string
}
