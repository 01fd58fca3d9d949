/** What is said on the desktop, and how it is chosen. */
export const alertTexts = {
  'alert.lost': ['服务没有应答', 'The service does not answer'],
  'alert.lost.more': [
    '超过 90 秒没有数据；是否仍在看管账户，此页无法判断。',
    'No data for more than 90 s; this page cannot tell whether the account is still looked after.',
  ],
  'alert.back': ['服务恢复应答', 'The service answers again'],
  'alert.unowned': ['账户无人运行', 'Nobody runs the account'],
  'alert.unowned.more': [
    '能运行它的节点一台也不在，止盈止损都停了。',
    'No node that may run it is there: nobody looks after its stops.',
  ],
  'alert.owned': ['账户又有节点运行', 'A node runs the account again'],
  'alert.resting': ['账户停止自动决策', 'The account decides nothing any more'],
  'alert.resting.more': [
    '多次异常，或磁盘空间不足、没有响应：止盈止损和网格都停了，请打开操作台查看。',
    'It crashed too often, or the disk is nearly full or does not answer: exits and grids have stopped. Look at the console.',
  ],
  'alert.working': ['账户恢复自动决策', 'The account decides by itself again'],
  'alert.masterOff': ['总开关已关闭', 'The master switch is off'],
  'alert.masterOff.more': [
    '止盈止损和网格都停了。服务重新启动后须在操作台再次打开。',
    'Exits and grids have stopped. After a new start of the service it is switched on by hand, in the console.',
  ],
  'alert.masterOn': ['总开关已打开', 'The master switch is on'],
  'alert.simulated': ['已是模拟模式', 'Simulation mode is on'],
  'alert.simulated.more': [
    '委托只在本地模拟，不会发往交易客户端，止损也一样。',
    'Orders are filled here alone, none goes to the trading client: no stop either.',
  ],
  'alert.live': ['已退出模拟模式', 'Simulation mode is off'],
  'alert.disconnected': ['交易客户端断开', 'The trading client is disconnected'],
  'alert.disconnected.more': [
    '断开期间不能下单，也不能撤单。',
    'Meanwhile nothing can be sent or canceled.',
  ],
  'alert.connected': ['交易客户端已连接', 'The trading client is connected'],
  'alert.noQuotes': ['行情中断', 'Quotes have stopped'],
  'alert.noQuotes.more': ['止盈止损暂不判断。', 'Exits are not judged meanwhile.'],
  'alert.killRaised': ['急停：{level}', 'Kill switch: {level}'],
  'alert.killLowered': ['急停改为：{level}', 'Kill switch lowered: {level}'],
  'alert.stopSale': ['止损卖出已发出', 'A stop-loss sale was sent'],
  'alert.filled': ['全部成交', 'Filled'],
  'alert.partFilled': ['部分成交', 'Partly filled'],
  'alert.rejected': ['委托被拒', 'An order was rejected'],
  'alert.doubt': ['委托结果未知', 'An order is in doubt'],
  'alert.doubt.more': [
    '正在核实，不会重发；请在交易终端查看。',
    'It is being looked for and not sent again; look at the terminal.',
  ],
  'alert.difference': ['对账发现 {count} 处差异', '{count} differences from the trading client'],
  'alert.order': [
    '{side} {stock} {traded}/{volume} 股，{price}',
    '{side} {stock}, {traded}/{volume} shares, {price}',
  ],
  'alert.more': ['另有 {count} 条', '{count} more'],

  'alerts.title': ['提醒', 'Alerts'],
  'alerts.more': [
    '此页打开时有效，也在后台标签页中。关掉浏览器后没有提醒。',
    'While this page is open, in a background tab too. There are none once the browser is closed.',
  ],
  'alerts.info': ['一般：成交、恢复', 'News: fills, recovery'],
  'alerts.warn': ['注意：拒单、行情中断、差异', 'Look: rejections, no quotes, differences'],
  'alerts.critical': [
    '紧急：急停、总开关关闭、断开、账户停止工作、结果未知、止损',
    'Act: kill switch, master switch off, disconnection, account at rest, doubt, stop-loss',
  ],
  'alerts.off': ['关闭', 'Off'],
  'alerts.desktop': ['桌面通知', 'On the desktop'],
  'alerts.sound': ['声音', 'Sound'],
  'alerts.both': ['桌面通知和声音', 'Desktop and sound'],
  'alerts.try': ['试一下', 'Try'],
  'alerts.denied': [
    '浏览器不允许桌面通知：请在地址栏左侧的网站设置里允许。',
    'The browser does not allow notifications: allow them in its site settings.',
  ],
  'alerts.insecure': [
    '桌面通知需要 https 或本机地址；声音不受影响。',
    'Notifications on the desktop need https or an address of this computer; sounds do not.',
  ],
} as const
