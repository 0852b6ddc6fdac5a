"""An extension: provider A may be silent for as long as a test takes."""

from service.generation import model_call

model_call.LIMITS["A"] = model_call.TimeLimits(first=300, idle=300, step=300)
