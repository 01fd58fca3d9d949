import type { AccountState } from '../../model/state.ts'

/** Master switch and grid switch. The third tier is the session's own. */
export const areGridsOn = ({ settings }: AccountState): boolean =>
  settings.ENABLE_AUTO_OPERATION && settings.ENABLE_GRID_TRADING
