// English. The other languages have the same keys; a test says when one is missing.
export default {
  // Places and marks
  topLeft: "top left", top: "top", topRight: "top right", left: "left", centre: "centre", right: "right",
  bottomLeft: "bottom left", bottom: "bottom", bottomRight: "bottom right",
  onBoard: "{place} of the {board} board", rowColumn: "row {row}, column {column}",
  cross: "cross", nought: "nought", triangle: "triangle", square: "square", diamond: "diamond", star: "star",
  hexagon: "hexagon", arrow: "arrow",
  empty: "empty", lastMove: "last move", inTheLine: "in the winning line", wouldLeave: "would be taken back",
  bestMove: "best move", board: "Board", boardAt: "Board, {place}", boardDrawn: "drawn", boardWon: "won by {side}",
  boardActive: "play here", zoomIn: "Zoom in", zoomOut: "Zoom out",

  // People
  openSeat: "Open seat", player: "Player {n}", you: "you", computerLevel: "Computer, level {n}",
  computerPerfect: "Computer, perfect", computerNamed: "Computer ({name})", away: "away", here: "here",

  // Games
  gameTicTacToe: "Tic-tac-toe", gameMisere: "Misère", gameConnectFour: "Connect Four", gameFive: "Five in a row",
  gameMulti: "Nine boards", gameUltimate: "Ultimate", gameGrid: "{line} in a row, {columns} × {rows}",
  gameThree: "Three players", gameFour: "Four in a row", gameOwn: "A game of your own",
  aboutLine: { one: "{n} in a row wins.", other: "{n} in a row win." },
  aboutMisere: "Who completes a line loses.", aboutGravity: "Marks fall down.",
  aboutExact: "Longer lines do not count.", aboutSides: { one: "{n} player.", other: "{n} players." },
  aboutMulti: "The cell you play names the next board. Most boards win.",
  aboutUltimate: "The cell you play names the next board. Three boards in a row win.",
  firstBoard: "First play on the {board} board.",

  // What happens
  yourTurn: "Your turn.", turnOf: "{name} to move.", turnOfSide: "Your turn: {side}.", isThinking: "{name} is thinking.",
  waitingForSeat: "Waiting for somebody to sit down.", draw: "A draw.", abandoned: "Everybody left.",
  youWin: "You win.", youLose: "You lose.", youLoseTo: "{name} wins.", wins: "{name} wins.", win: "{names} win.",
  byLine: "", byPoints: "More boards.", byResignation: "By resignation.", byLeaving: "The other side left.",
  youPlay: "You play {place}.", playsAt: "{name} plays {place}.", resigns: "{name} gives up.", youResign: "You give up.",
  takesBack: { one: "{name} takes {n} mark back.", other: "{name} takes {n} marks back." },
  youTakeBack: { one: "You take {n} mark back.", other: "You take {n} marks back." },
  passes: "{name} passes.", youPass: "You pass.", nowActive: "Play on the {board} board.", nowAny: "Play on any open board.",

  // What can't be
  over: "The game is over. You can play again.", notYourTurn: "Wait for your turn.", watching: "You are watching this game.",
  taken: "That cell is taken.", wrongBoard: "Play on the {board} board.", closedBoard: "That board is closed. Play on an open one.",
  columnFull: "That column is full.", waitingToBegin: "The game begins when every seat is taken.",
  moved: "The game had gone on. This is how it stands.", seatGone: "Somebody was quicker. That seat is taken.",
  cantRewind: "That many can't be taken back.", refused: "That did not work. {why}",
  tooMuch: "That is a lot at once. Try again in a moment.",

  // The line to the server
  lost: "Connection lost. Trying again…", back: "You're back, nothing was missed.", offline: "You are offline. Games need the network.",
  noSuchGame: "There is no such game", noSuchGameMore: "It may have been mistyped, or the server has forgotten it.",
  noSuchPage: "There is nothing here", noSuchPageMore: "The address leads nowhere. The board is this way.",
  broken: "Something went wrong", brokenMore: "The page could not be shown. Loading it again may help.", reload: "Load again",
  needsNetwork: "This needs the network", needsNetworkMore: "Everything here is kept on the server. It opens as soon as you are online.",

  // The page
  title: "Noughts", playNow: "Play now", games: "Games", allGames: "All games", watch: "Watch", archive: "Archive",
  settings: "Settings", close: "Close", skip: "Skip to the board", menu: "Main",
  startTitle: "Tic-tac-toe against the computer", startHint: "Press any cell to begin.", startMore: "Or:",
  friend: "Play a friend", friendHint: "You get a link to send.", whoever: "Play whoever waits", level: "Level", levelOf: "Level {n}",
  levelEasy: "easy", levelFair: "fair", levelStrong: "strong",
  yourName: "Your name", nameHint: "Others see it at your table.", language: "Language", theme: "Appearance",
  lostStart: "The server does not answer. Try again in a moment.", gamesList: "Connect Four, nine boards, five in a row …",
  themeAuto: "As the system", themeLight: "Light", themeDark: "Dark", sound: "Sounds", shortcuts: "Keyboard shortcuts",

  // A table
  seats: "Seats", toMove: "to move", won: "won", score: "Boards won", sit: "Sit down",   resign: "Give up", resignSure: "Give up this game?", rewind: "Take back", rewindHow: "Marks to take back",
  rewindDo: { one: "Take {n} mark back", other: "Take {n} marks back" }, passDo: "Pass the turn", cancel: "Cancel",
  rematch: "Play again", rematchAsked: "Waiting for the others to agree.", rematchGo: "To the new game", newGame: "New game",
  shareWatch: "Share", linkHint: "Send this link. Whoever opens it first can sit down.", linkWatch: "Whoever opens this link can watch.",
  copy: "Copy link", copied: "Copied.", qr: "The link as a QR code",   
  // Moves
  moves: "Moves", noMoves: "No moves yet.", turnAt: "Turn {n}", first: "To the start", previous: "One move back",
  next: "One move on", last: "To the end", toNow: "Back to now", position: "Position after turn {n} of {total}",
  lookingBack: "You are looking at turn {n}.", moveResign: "gives up", moveBack: { one: "takes {n} back", other: "takes {n} back" }, movePass: "passes",
  playOn: "Play on from here", playOnTitle: "Play on from this position", playOnMore: "The game itself stays as it is.",
  exportText: "Save record", 
  // Analysis
  analysis: "Analysis", analyse: "Analyse", analysing: "Looking at every position…",   worthWin: "{side} wins", worthWinIn: { one: "{side} wins in {n} move", other: "{side} wins in {n} moves" }, worthDraw: "A draw",
  worthUnknown: "Unclear", worthBetter: "{side} stands better", bestWas: "Best: {place}", mistakes: "Mistakes", noMistakes: "Nobody made a mistake.",
  mistakeAt: "Turn {n}: {name} plays {place}", gaveWin: "gave away the win", gaveDraw: "gave away the draw", chart: "How it stood after each turn",
  chartHigh: "up: {side} stands better",

  // Choosing a game
  chooseTitle: "Choose a game", columns: "Columns", rows: "Rows", inALine: "In a row to win", players: "Players", history: "Take back",
  historyHint: { one: "Up to {n} mark at once. 0: never.", other: "Up to {n} marks at once. 0: never." }, historyNone: "Never", fromTo: "{from} to {to}", ruleMisere: "Who completes a line loses",
  ruleGravity: "Marks fall down", ruleExact: "Only exact lines count", whoSits: "Who sits where", me: "Me", aFriend: "A friend, by link",
  anybody: "Whoever comes", computer: "Computer", begin: "Begin", beginsFirst: "begins", swap: "Swap seats", firstBoardField: "First board",
  firstAny: "Any", firstRandom: "By lot", 
  // Watching and the archive
  waitingTables: "Waiting for players", livePlay: "Being played", noWaiting: "Nobody waits. Open a table, and you do.", noLive: "Nobody plays at the moment.",
  archiveTitle: "Finished games", noArchive: "No finished games yet.", noMatch: "No game matches.", filterGame: "Game", filterAny: "Any game", filterPlayer: "Player",
  filter: "Show", older: "Older games", import: "Open a record", importHint: "A record as text, from this page or the program.", importDo: "Open",
  importBad: "This can't be read as a record. {why}", openTable: "Open a table", look: "Look", sitDown: "Sit down",

  // Keys
  keys: "Keys", keyArrows: "move over the board", keyEnter: "play", keyReplay: "one move back or on", keyEnds: "to the start, to the end",
  keyNew: "new game", keyAgain: "play again", keyBack: "take back", keyHelp: "these keys", keyZoom: "zoom a large board", keyEscape: "back to now",
};
