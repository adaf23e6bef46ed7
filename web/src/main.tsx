import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/board.css";
import "./styles/strength.css";
import "./styles/review.css";
import "./styles/play.css";
import { render } from "preact";
import { startStream } from "./api/stream";
import { App } from "./app/app";

startStream();
render(<App />, document.getElementById("page")!);
