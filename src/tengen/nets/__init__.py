"""Nets behind one face: KataGo files, cards, the ONNX runtime, the Evaluator."""
