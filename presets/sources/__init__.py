"""The robots that ship as presets and where each of their numbers comes from."""

from sources.collaborative import COLLABORATIVE
from sources.industrial import INDUSTRIAL
from sources.model_packages import MODEL_PACKAGES
from sources.universal_robots import UNIVERSAL_ROBOTS

ROBOTS = (*COLLABORATIVE, *UNIVERSAL_ROBOTS, *MODEL_PACKAGES, *INDUSTRIAL)
