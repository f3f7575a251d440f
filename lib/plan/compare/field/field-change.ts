/** One field that differs, with secrets redacted. `path` is `service/field`. */
export type FieldChange = {
  readonly path: string
  readonly from?: string
  readonly to?: string
  /** Set for what nobody may overlook: what runs, its power over the host, or data that it would no longer find. */
  readonly touches?: 'image' | 'host' | 'data'
}
