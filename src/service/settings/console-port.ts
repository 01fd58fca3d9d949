import type { Config } from '../../config/schema.ts'

/** Where direct mode of the account at this place of the configuration listens; 0 = any free port. */
export const portOf = ({ direct }: Config, index: number): number =>
  direct.base_port === 0 ? 0 : direct.base_port + index
